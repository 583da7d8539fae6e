import { passOn } from '../../core/text.ts';
import { type Colour, paint } from './paint.ts';
import { wrap } from './wrap.ts';

/** Says something on stderr: in sentences for a person and broken at words where it is a terminal. */
export function say(text: string, style?: Colour | 'dim'): void {
  const { stderr } = process;
  const lines = stderr.isTTY ? wrap(forPerson(text), stderr.columns || 80) : text.split('\n');
  console.error(style ? paint(style, lines.join('\n'), stderr) : lines.join('\n'));
}

/**
 * A sentence written for models as a person reads it: Amsterdam times to the minute, arguments as they are
 * typed (`period=yesterday` for `period: "yesterday"`), no advice on how to hand figures on.
 */
export function forPerson(text: string): string {
  return shortTimes(text)
    .replaceAll(` ${passOn}`, '')
    .replaceAll(/(?<=[ (])([a-z_]+): "([^"\s]*)"/g, '$1=$2')
    .replaceAll(/(?<=[ (])([a-z_]+): ("[^"]*"|true|false|\d+)(?=[\s,.;)]|$)/g, '$1=$2');
}

/** Amsterdam times to the minute; another offset stays, for it says whose time it is. */
export function shortTimes(text: string): string {
  return text.replaceAll(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?\+0[12]:00/g, '$1 $2');
}
