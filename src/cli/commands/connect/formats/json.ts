import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { isRecord } from '../../../../core/json.ts';
import { BrokenFileError, type Format, lineEndOf } from './format.ts';
import { appended, removed, replaced } from './json-text.ts';

const lenient = { allowTrailingComma: true };

/** JSON, with the comments and trailing commas that editors allow in it. */
export const json: Format = {
  parse(text) {
    if (text.trim() === '') return {};
    const errors: ParseError[] = [];
    const document: unknown = parse(text, errors, lenient);
    const [error] = errors;
    if (error)
      throw new BrokenFileError(
        `line ${lineAt(text, error.offset)}: ${printParseErrorCode(error.error)}`,
      );
    if (!isRecord(document)) throw new BrokenFileError('it holds no object');
    return document;
  },
  edit(text, { path, value }) {
    const content = text.trim() === '' ? `{}${lineEndOf(text)}` : text;
    const tree = parseTree(content, [], lenient);
    const [group, member] = path;
    if (tree === undefined || group === undefined || member === undefined) return content;
    const holder = findNodeAtLocation(tree, [group]);
    if (holder?.type !== 'object' && holder?.type !== 'array') {
      const whole = typeof member === 'number' ? [value] : { [member]: value };
      return holder === undefined
        ? appended(content, tree, { key: String(group), value: whole })
        : replaced(content, holder, whole);
    }
    const known = findNodeAtLocation(tree, [...path]);
    if (value === undefined) return known ? removed(content, holder, memberOf(known)) : content;
    if (known) return replaced(content, known, value);
    return appended(content, holder, {
      value,
      ...(typeof member === 'string' && { key: member }),
    });
  },
};

/** A value of an object stands in its property, one of a list by itself. */
function memberOf(node: Node): Node {
  return node.parent?.type === 'property' ? node.parent : node;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
