import type { AnsweredBlock, AnsweredBrief } from '../../analysis/briefs/brief.ts';
import { figureSummary, sayColumn } from '../../analysis/figure/figure-text.ts';
import type { Labels } from '../../analysis/reference/reference.ts';
import { type Row, readColumns } from '../../analysis/rows/rows.ts';
import { asRows } from '../../analysis/tables/table-rows.ts';
import { fieldOf } from '../../core/column-name.ts';
import { isRecord } from '../../core/json.ts';
import { isNumeric } from '../../core/money.ts';
import { neutralise } from '../../core/text.ts';
import { describeMissing, explainedHeading, headline, sayFacts } from './facts.ts';
import { endsOf, type FinishSettings, finishRows } from './finish.ts';
import { textTable } from './table.ts';

type BriefSettings = Pick<FinishSettings, 'services'>;

export async function briefMarkdown(
  { title, description, parts }: AnsweredBrief,
  settings: BriefSettings,
): Promise<string> {
  const texts: string[] = [`# ${title}`, description];
  for (const part of parts)
    texts.push(...(typeof part === 'string' ? [part.trim()] : await blockTexts(part, settings)));
  return `${texts.filter((text) => text !== '').join('\n\n')}\n`;
}

async function blockTexts(
  { block, found, failure }: AnsweredBlock,
  { services }: BriefSettings,
): Promise<string[]> {
  const heading = block.title && `### ${escapeMarkdown(block.title)}`;
  const quoteLines = (texts: readonly string[]) =>
    texts
      .filter(Boolean)
      .map((line) => `> ${escapeMarkdown(line)}`)
      .join('  \n');
  if (!found) return [heading, quoteLines(failure?.split('\n') ?? [])];
  const { tool, answer } = found;
  const list = asRows(answer);
  const { payload, rows, context } = await finishRows({ tool, services }, list);
  const { explained = [] } = payload;
  const parts = [explained].flat().filter(isRecord);
  const counts = { shown: rows.length, total: list.rows.length, noun: list.noun };
  const lines = sayFacts(context, false);
  const figure = answer.kind === 'figure' ? answer.figure : undefined;
  return [
    heading,
    ...[...lines.summary, figure ? figureSummary(figure, 'en') : ''].map((line) =>
      escapeMarkdown(sayColumnNames(line)),
    ),
    markdownTable([...rows, ...endsOf(list)], context.labels),
    ...(parts.length > 0 ? [explainedHeading(context), markdownTable(parts)] : []),
    quoteLines([
      headline(tool.tool, context, counts),
      ...lines.meant,
      ...(context.complete
        ? []
        : [describeMissing({ ...context, result: undefined }, rows.length).text]),
      ...lines.tables,
      ...lines.warnings,
    ]),
  ];
}

function markdownTable(rows: readonly Row[], labels: Labels = {}): string {
  const { columns, notes } = textTable({
    columns: readColumns(rows),
    labels,
    hasNamesInRows: true,
  });
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const isNumber = (cell: string) => cell === '' || isNumeric(cell);
  const table = [
    line(columns.map(({ name }) => escapeMarkdown(sayColumn(fieldOf(name))))),
    line(columns.map(({ cells }) => (cells.every(isNumber) ? '---:' : '---'))),
    ...rows.map((_, at) =>
      line(columns.map(({ name, cells }) => escapeMarkdown(sayCell(name, cells[at])))),
    ),
  ];
  const noteLines = notes().map((note) => `${escapeMarkdown(sayColumnNames(note))}\n`);
  return [...noteLines, ...(columns.length > 0 ? table : [])].join('\n');
}

/** Amounts with a comma between thousands, as the sentences write them; measures in words. */
function sayCell(column: string, cell = ''): string {
  if (/^(measure|part|view)$/.test(column)) return sayColumnNames(cell);
  return /^-?\d+\.\d\d$/.test(cell) ? cell.replace(/\B(?=(\d{3})+\.)/g, ',') : cell;
}

/** Writes names of columns in words: `revenue.total_turnover_wt` becomes "total turnover incl. VAT". */
function sayColumnNames(text: string): string {
  return text.replaceAll(/\b(?:[a-z_]+\.)*[a-z]+(?:_[a-z]+)+\b/g, (name) =>
    sayColumn(fieldOf(name)),
  );
}

function escapeMarkdown(text: string): string {
  return neutralise(text).replaceAll(/[\\`*[\]<>|]/g, '\\$&');
}
