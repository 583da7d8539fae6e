import type { Answer, AnswerContext } from '../../analysis/answer.ts';
import type { Figure } from '../../analysis/figure/figure.ts';
import { figureText } from '../../analysis/figure/text/figure-text.ts';
import type { JsonObject } from '../../core/json.ts';
import { asOurs } from '../../core/text.ts';
import { limits } from './size-limits.ts';
import { tablesLine } from './tables-read.ts';
import { headline, warningLines } from './text.ts';

/** A figure in both channels: the same numbers as text and in columns. */
interface PresentedFigure {
  structured: JsonObject;
  text: string;
}

/**
 * A figure as an answer, or why it has too many numbers for one. The words around the numbers are
 * English: a call does not say what its reader speaks, models read English at the least cost, and the
 * view, which knows the reader's language, writes its own.
 */
export function presentFigure(
  figure: Figure,
  { warnings: _, ...context }: AnswerContext,
  { tool, speak }: { tool: { tool: string }; speak(text: string): string },
): PresentedFigure | Required<Pick<Answer, 'refusal'>> {
  const warnings = figure.notes.warnings.map(speak).filter((warning) => warning !== '');
  const { source, complete } = figure.notes;
  const isCut = figure.notes.isCut && { isCut: true as const };
  const spoken = { ...figure, notes: { ...figure.notes, warnings } };
  const presented = {
    ...context,
    complete,
    ...(warnings.length > 0 && { warnings }),
  };
  const text = [
    headline({ tool: tool.tool, noun: figure.kind, context: presented }),
    // The headline has said of which days, and when they were read; warnings stand last, as everywhere.
    figureText({ ...spoken, notes: { source, complete, ...isCut, warnings: [] } }, 'en'),
    ...(context.tables?.length ? [asOurs(tablesLine(context.tables))] : []),
    ...warningLines(warnings),
  ].join('\n');
  const structured = { figure: spoken, context: presented };
  const isTooLarge = text.length > limits.text || JSON.stringify(structured).length > limits.json;
  return isTooLarge ? { refusal: tooLarge(figure) } : { structured, text };
}

function tooLarge({ axis, series }: Figure): string {
  const [labels, many] = [axis.labels.length, series.length];
  return `Not drawn: ${labels} labels of ${many} series are more numbers than one answer holds. Draw fewer series, or group by week or month.`;
}
