import { type Figure, readFigure } from '../../analysis/figure/figure.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';

/** What the view has to show. */
export type FigureOutcome =
  | { state: 'loading' }
  | { state: 'figure'; figure: Figure }
  /** An answer without a figure: it says why, and holds the table. */
  | { state: 'text'; text: string }
  | { state: 'error'; text: string }
  | { state: 'cancelled' }
  /** Some hosts keep a call and lose its answer, or all of it but the text. */
  | { state: 'emptied'; text: string };

/** What a tool's result is to the view. */
export function figureOutcomeOf(result: JsonObject): FigureOutcome {
  const text = textOf(result.content);
  if (result.isError === true) return { state: 'error', text };
  const { structuredContent } = result;
  if (!isRecord(structuredContent) || Object.keys(structuredContent).length === 0)
    return { state: 'emptied', text };
  const figure = readFigure(structuredContent.figure);
  return figure ? { state: 'figure', figure } : { state: 'text', text };
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((block) => (isRecord(block) && typeof block.text === 'string' ? [block.text] : []))
    .join('\n')
    .trim();
}
