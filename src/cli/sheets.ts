/** What a workbook's sheets hold of an answer: its tables with titles in words, a report as one sheet. */
import { sayColumn } from '../analysis/figure/figure-text.ts';
import { query } from '../analysis/query.ts';
import { showFigure } from '../analysis/show-figure.ts';
import { isIdentifier } from '../core/column-name.ts';
import { columnType, isOfNumbers } from '../core/column-type.ts';
import { groupBy } from '../core/json.ts';
import { isNumeric } from '../core/money.ts';
import { writeFigures } from '../mcp/answers/table.ts';
import type { FlatAnswer } from './flat-answer.ts';
import {
  type LaidColumn,
  type LaidTable,
  layOut,
  meaningOf,
  shortName,
  unitOf,
  withInnerLists,
  withNames,
} from './layout.ts';
import { mixedColumn, type SheetColumn, sheetColumn } from './sheet-column.ts';

/** A table on a sheet. */
export interface Section extends Pick<LaidTable, 'hasTotal'> {
  /** Nothing above the rows that were asked for. */
  heading?: string | undefined;
  /** Undefined where a column of the sheet is of other sections. */
  columns: readonly (SheetColumn | undefined)[];
  rows: number;
}

/** A sheet: one table, or the values of a record with its lists below them. */
export interface SheetPlan {
  name: string;
  sections: readonly Section[];
}

/**
 * The sheets of an answer, and what the platform calls what they call by words.
 * @param nth begins the name of each
 */
export function planSheets(flat: FlatAnswer, title: string, nth: string) {
  const { toolCall, payload, missing, labels, columns } = flat;
  // The columns of a statement are called as its author calls them.
  const areOwn = [query.tool, showFigure.tool].includes(toolCall.tool);
  const known = columns.map((name): LaidColumn => ({ name, values: [] }));
  const parts = layOut(toolCall.tool, payload, missing === undefined)
    .flatMap(withInnerLists)
    .map((part) => (part.columns.length > 0 ? part : { ...part, columns: known }));
  const sections = parts.map((part) => {
    const named = { ...part, columns: withNames(part.columns, labels) };
    return part.kind === 'record' ? recordSection(named) : tableSection(turned(named), areOwn);
  });
  const isReport = parts[0]?.kind === 'record';
  const sheets: SheetPlan[] = isReport
    ? [{ name: nth + title, sections: aligned(sections) }]
    : sections.map((it) => ({ name: nth + (it.heading ?? title), sections: [it] }));
  const names = new Map(
    sections.flatMap((it) => it.names.filter(([words, name]) => words.toLowerCase() !== name)),
  );
  return { sheets, names, cells: parts.flatMap((it) => it.columns.map(({ values }) => values)) };
}

/** Of one whole its measures as columns: no column holds amounts without VAT and with it. */
function turned(part: LaidTable): LaidTable {
  const [measures, ...figures] = part.columns;
  if (part.kind !== 'measures' || measures === undefined) return part;
  const words = figures.map(({ name }) => sayAspect(name) + (name === 'percent' ? ', %' : ''));
  const columns = measures.values.map((name, at): LaidColumn => {
    return { name: String(name), values: figures.map(({ values }) => values[at]) };
  });
  return { ...part, columns: [{ name: 'what', values: words }, ...columns] };
}

/** Where a report has its columns, so that no side of VAT stands below the other. */
const slots = ['text', 'ex', 'wt', 'euro', 'number'] as const;
type Slot = (typeof slots)[number];

/** A section before its columns have their places on a sheet. */
interface LooseSection extends Section {
  columns: readonly (SheetColumn & { slot: Slot })[];
  /** What the platform calls what is called by words here. */
  names: readonly (readonly [words: string, name: string])[];
}

function tableSection(part: LaidTable, areOwn: boolean): LooseSection {
  const { columns, name, hasTotal } = part;
  const measures = columns.find((it) => ['measure', 'part'].includes(it.name))?.values;
  const names: [words: string, name: string][] = [];
  const placed = columns.map((column) => {
    const { name, values, measure = name, aspect = 'current' } = column;
    const isEuro = unitOf(column, part) === 'euro';
    const side = vatSide(measure, columns);
    const title = areOwn ? name : titleOf(column, part, isEuro, side);
    names.push([title, aspect === 'current' ? measure : `${measure}, ${aspect}`]);
    const meaning = meaningOf(column);
    const isNumber = isOfNumbers(columnType(values, meaning)) && !isIdentifier(name);
    const slot: Slot = isEuro ? side : isNumber ? 'number' : 'text';
    return { ...sheetColumn(meaning, values, isEuro ? undefined : measures, title), slot };
  });
  return {
    heading: name && sayPath(name),
    columns: placed,
    rows: columns[0]?.values.length ?? 0,
    hasTotal: hasTotal === true,
    names: areOwn ? [] : names,
  };
}

const amountTitles = { ex: 'Excl. VAT, EUR', wt: 'Incl. VAT, EUR', euro: 'EUR' };

/** The values of a record, a line each; an amount without VAT and with it on one. */
function recordSection({ columns }: LaidTable): LooseSection {
  const values = columns.map(({ values: [value] }) => value);
  const names = columns.map(({ name }) => name);
  const amounts = writeFigures('', values, names);
  const cells = columns.map(({ name }, at) => {
    const side = vatSide(name, columns);
    // Of whole euros alone, such as a day without trade, the name tells which are amounts.
    const isAmount = amounts[at] !== undefined || (side !== 'euro' && isNumeric(values[at]));
    const slot: Slot = isAmount ? side : 'text';
    const line = slot === 'text' ? name : name.replace(/_(wt|ex)$/, '');
    return { name, slot, line, value: values[at] };
  });
  const lines = [...groupBy(cells, ({ line }) => line)];
  const words = lines.map(([line]) => sayPath(line));
  const cellsOf = (slot: Slot) => lines.map(([, own]) => own.find((it) => it.slot === slot)?.value);
  const lineNames = lines.map(([line]) => line);
  return {
    heading: undefined,
    columns: [
      { ...sheetColumn('figure', words, undefined, 'What'), slot: 'text' },
      { ...mixedColumn('Value', cellsOf('text'), lineNames), slot: 'text' },
      ...(['ex', 'wt', 'euro'] as const).flatMap((slot) => {
        const own = cellsOf(slot);
        const column = sheetColumn('amount_wt', own, undefined, amountTitles[slot]);
        return own.some((it) => it !== undefined) ? [{ ...column, slot }] : [];
      }),
    ],
    rows: lines.length,
    names: lines.map(([line, own]) => [sayPath(line), own.map(({ name }) => name).join(', ')]),
  };
}

/** On which side of VAT an amount is, by its name and whether there is one that includes it. */
function vatSide(name: string, columns: readonly LaidColumn[]): 'ex' | 'wt' | 'euro' {
  if (name.endsWith('_wt')) return 'wt';
  const isPaired = columns.some((it) => (it.measure ?? it.name) === `${name}_wt`);
  return isPaired || name.endsWith('_ex') ? 'ex' : 'euro';
}

/** Sections for one sheet: columns of a kind below each other, names before ids. */
function aligned(sections: readonly LooseSection[]): Section[] {
  const columnsOf = ({ columns }: LooseSection, slot: Slot) =>
    columns
      .filter((column) => column.slot === slot)
      .toSorted((a, b) => Number(a.isId) - Number(b.isId));
  const places = slots.flatMap((slot) => {
    const most = Math.max(...sections.map((it) => columnsOf(it, slot).length));
    return Array.from({ length: most }, (_, at) => [slot, at] as const);
  });
  return sections.map((section) => {
    return { ...section, columns: places.map(([slot, at]) => columnsOf(section, slot)[at]) };
  });
}

const aspectWords: Readonly<Record<string, string>> = { percent: 'Change', of: 'Ranked among' };

function sayAspect(aspect: string): string {
  return aspectWords[aspect] ?? capital(aspect);
}

/** The title of a column: `Reference: turnover incl. VAT, EUR`. */
function titleOf(column: LaidColumn, part: LaidTable, isEuro: boolean, side: Slot): string {
  const { name, measure = name, aspect = 'current' } = column;
  const short = sayPath(shortName({ name: measure, values: [] }, part));
  const words = side === 'ex' && !measure.endsWith('_ex') ? `${short} excl. VAT` : short;
  const unit = isEuro ? ', EUR' : aspect === 'percent' ? ', %' : '';
  if (aspect === 'current') return words + unit;
  return `${sayAspect(aspect)}: ${words.charAt(0).toLowerCase()}${words.slice(1)}${unit}`;
}

/** A name with its path in words: `direct_paid.rates` is "Direct paid: rates". */
function sayPath(name: string): string {
  return capital(
    name
      .split('.')
      .map(sayColumn)
      .join(': ')
      .replaceAll(/\bvat\b/g, 'VAT'),
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
