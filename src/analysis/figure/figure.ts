/** A figure: numbers with a shape, in columns, ready to be drawn, said or written down. */
import { isRecord } from '../../core/json.ts';

/** What a figure can be drawn as. */
export const figureKinds = ['line', 'bars'] as const;

export type FigureKind = (typeof figureKinds)[number];

/** What the labels of an axis are: days `2026-11-02`, ISO weeks `2026-W45`, months `2026-11`, names. */
export const axisTypes = ['day', 'week', 'month', 'name'] as const;

export type AxisType = (typeof axisTypes)[number];

/** An exact number: as text where no double holds its digits. Null where there is none: a gap. */
export type FigureValue = number | string | null;

/** One line, or the bars of one colour: a value for each label of the axis. */
export interface FigureSeries {
  name: string;
  values: readonly FigureValue[];
}

/** What a reader must know to trust the numbers. */
export interface FigureNotes {
  /** When it was read, ISO 8601 with Amsterdam offset. */
  asOf?: string;
  source: 'live' | 'sandbox';
  /** False when rows exist that are not in the figure. */
  complete: boolean;
  warnings: readonly string[];
  /** The days asked for, both included. */
  period?: { from: string; to: string };
}

/** The figure as `structuredContent.figure` carries it (DESIGN, section 3b). */
export interface Figure {
  /** Of this form; a later one has a higher number. */
  v: 1;
  kind: FigureKind;
  /** As given; without one the columns name the figure. */
  title?: string;
  /** `euro`, `percent`, `count`, or a word of the asker's; never guessed. */
  unit?: string;
  axis: { name: string; type: AxisType; labels: readonly string[] };
  /** The column that parts the rows into series, where one does. */
  split?: { name: string; type: AxisType };
  /** The columns of numbers. */
  measures: readonly string[];
  series: readonly FigureSeries[];
  /** Columns that hold no numbers and were not needed. */
  omitted?: readonly string[];
  notes: FigureNotes;
}

/** Most labels on an axis, and most series: more is no picture. */
export const maxLabels = 400;
export const maxSeries = 12;

/** The figure that a value holds, or undefined: a host may replay an answer that was emptied. */
export function readFigure(value: unknown): Figure | undefined {
  return isFigure(value) ? value : undefined;
}

function isFigure(value: unknown): value is Figure {
  if (!isRecord(value) || value.v !== 1) return false;
  const { kind, title, unit, axis, split, measures, series, omitted, notes } = value;
  return (
    isOneOf(figureKinds, kind) &&
    isOptionalText(title) &&
    isOptionalText(unit) &&
    isAxis(axis) &&
    (split === undefined || isTyped(split)) &&
    isTexts(measures) &&
    Array.isArray(series) &&
    series.length > 0 &&
    series.every((one) => isSeries(one, axis.labels.length)) &&
    (omitted === undefined || isTexts(omitted)) &&
    isNotes(notes)
  );
}

function isAxis(value: unknown): value is Figure['axis'] {
  return isRecord(value) && isTyped(value) && 'labels' in value && isTexts(value.labels);
}

function isSeries(value: unknown, length: number): value is FigureSeries {
  if (!isRecord(value) || typeof value.name !== 'string') return false;
  const { values } = value;
  return Array.isArray(values) && values.length === length && values.every(isValue);
}

function isValue(value: unknown): value is FigureValue {
  return value === null || typeof value === 'string' || Number.isFinite(value);
}

function isNotes(value: unknown): value is FigureNotes {
  if (!isRecord(value)) return false;
  const { asOf, source, complete, warnings, period } = value;
  return (
    isOptionalText(asOf) &&
    isOneOf(['live', 'sandbox'], source) &&
    typeof complete === 'boolean' &&
    isTexts(warnings) &&
    (period === undefined || (isRecord(period) && isTexts([period.from, period.to])))
  );
}

function isTyped(value: unknown): value is { name: string; type: AxisType } {
  return isRecord(value) && typeof value.name === 'string' && isOneOf(axisTypes, value.type);
}

function isOneOf<Word extends string>(words: readonly Word[], value: unknown): value is Word {
  return words.some((word) => word === value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
