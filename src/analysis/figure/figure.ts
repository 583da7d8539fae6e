/** The numbers of a figure, ready to be drawn or described in words. */
import type { Days } from '../../core/calendar.ts';
import { isRecord } from '../../core/json.ts';
import type { Warning } from '../../core/message.ts';

/** The kind of labels: days `2026-11-02`, ISO weeks `2026-W45`, months `2026-11`, names. */
export type AxisType = 'day' | 'week' | 'month' | 'name';

/** A number, or a gap. */
export type FigureValue = number | null;

/** Facts that a reader needs to trust the numbers. */
export interface FigureNotes {
  /** The moment of reading, ISO 8601 with Amsterdam offset. */
  asOf?: string | undefined;
  source: 'live' | 'sandbox';
  /** False when rows exist that are not in the figure. */
  complete: boolean;
  /** Whether the statement's LIMIT left rows out. */
  isCut?: true | undefined;
  warnings: readonly Warning[];
  /** The days asked for, both included. */
  period?: Days | undefined;
  /** Only for a band of usual figures: the number of earlier periods that it spans. */
  usualOf?: number | undefined;
}

/** The figure as `structuredContent.figure` carries it (docs/answers.md#a-figure). */
export interface Figure {
  v: 1;
  kind: 'line' | 'bars';
  /** The caller's title; without one the columns name the figure. */
  title?: string | undefined;
  /** `euro`, `percent`, `count`, or a word of the caller's; never guessed. */
  unit?: string | undefined;
  axis: {
    name: string;
    type: AxisType;
    /** A time axis has every day, week or month, with or without rows. */
    labels: readonly string[];
    /** The number of labels with rows, if some have none. */
    withRows?: number | undefined;
    /** Weeks or months that the period cuts. */
    cut?: readonly { bucket: string; days: number; of: number }[] | undefined;
  };
  /** The column that splits the rows into series, if one does. */
  split?: { name: string; type: AxisType } | undefined;
  /** The columns of numbers, and those of them that add up. */
  measures: readonly string[];
  adds?: readonly string[] | undefined;
  /** Measures that belong to other days than those of the axis. */
  earlier?: readonly string[] | undefined;
  /** A series for each group of the split and each measure, with a value for each label of the axis. */
  series: readonly { name: string; values: readonly FigureValue[] }[];
  /** The columns `low` and `high` around the first series, with a value for each label. */
  band?: Readonly<Record<'low' | 'high', readonly FigureValue[]>> | undefined;
  /** Columns that hold no numbers and were not needed. */
  omitted?: readonly string[] | undefined;
  notes: FigureNotes;
}

/** Every column of numbers that a table of the figure has. */
export function drawnSeries({ series, band }: Figure): Figure['series'] {
  const edges = band ? (['low', 'high'] as const) : [];
  return [...series, ...edges.map((name) => ({ name, values: band?.[name] ?? [] }))];
}

/** The figure in an answer, or undefined: a host may replay an answer that was emptied. */
export function readFigure(value: unknown): Figure | undefined {
  // Only the server writes figures: all that can differ is the version.
  const isFigure = (answer: unknown): answer is Figure =>
    isRecord(answer) && answer.v === 1 && Array.isArray(answer.series);
  return isFigure(value) ? value : undefined;
}
