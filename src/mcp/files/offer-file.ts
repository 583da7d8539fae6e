/** Offers the rows of an answer as a file: behind a link, or in the folder of the person. */
import { setImmediate } from 'node:timers/promises';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { FileFormat, RequestedFile, RowsAnswer } from '../../analysis/answer.ts';
import { csvChunks } from '../../analysis/rows/csv.ts';
import { amsterdamDay, amsterdamIso, type Days, endOf, startOf } from '../../core/calendar.ts';
import { CommerceError } from '../../core/errors.ts';
import { messagesOf } from '../../core/message.ts';
import { cutText, serverLine } from '../../core/text.ts';
import { finishContext } from '../answers/context.ts';
import { describeMissing, headline, sayFacts, sayMoment } from '../answers/facts.ts';
import { type FinishSettings, keepAnswer } from '../answers/finish.ts';
import type { App } from '../app/app.ts';
import { downloadFolder, saveFile } from './folder.ts';
import { type RowsFile, rowsFileOf } from './rows-file.ts';
import { workbookBytes } from './workbook.ts';

export const offerMessages = messagesOf({
  file_too_large: ({ megabytes, max }: { megabytes: number; max: number }) =>
    `The file has ${megabytes} MB, and ${max} MB is the most. Ask for fewer days or columns.`,
});

/** Largest file. */
const maxMegabytes = 100;

/**
 * Gives the rows of an answer to a person as a file, and says where it is: over HTTP behind a link, else in a folder.
 * @throws {CommerceError} for rows that are too many, and for a file that cannot be written
 */
export async function offerFile(
  settings: FinishSettings,
  answer: RowsAnswer,
  requested: RequestedFile,
  { linkFile, filesDir }: Pick<App, 'linkFile' | 'filesDir'>,
): Promise<CallToolResult> {
  const { results, now } = settings.services;
  const { rows, rest, noun } = answer;
  const name = fileNameOf(answer, requested, now());
  const context = { ...finishContext(answer.context), complete: rest === undefined };
  let place: { path: string } | { url: string; expires_at: string };
  if (linkFile) {
    const { id, expiresAtMs } = requested.kept ?? (await keepAnswer(results, answer));
    const url = linkFile({ id, name, expiresAtMs });
    place = { url, expires_at: amsterdamIso(expiresAtMs) };
  } else {
    const folder = filesDir ?? downloadFolder();
    const bytes = await fileBytes(settings, answer, requested.format);
    place = { path: await saveFile(folder, name, bytes) };
  }
  const counts = { shown: rows.length, total: rows.length, noun };
  const { meant, tables, warnings } = sayFacts(context);
  const location =
    'path' in place
      ? `Written: ${place.path}`
      : `Link until ${sayMoment(place.expires_at)}: ${place.url} (whoever has it gets the rows; give it to the person as it is)`;
  const missing = rest && describeMissing(context, rows.length).text;
  const text = [
    headline(settings.tool.tool, context, counts),
    ...[location, ...meant, ...tables, missing ?? '', ...warnings].filter(Boolean).map(serverLine),
  ].join('\n');
  const structuredContent = { name, rows: rows.length, ...place, context };
  return { content: [{ type: 'text', text }], structuredContent };
}

/**
 * The bytes of a file of rows; other requests are served meanwhile.
 * @throws {CommerceError} `too_large`
 */
export async function fileBytes(
  settings: Pick<FinishSettings, 'services' | 'signal'>,
  answer: RowsAnswer,
  format: FileFormat,
): Promise<Buffer> {
  const file = await rowsFileOf(settings, answer, format === 'xlsx');
  const bytes =
    format === 'xlsx' ? await workbookBytes(answer.toolCall.tool, file) : await csvBytes(file);
  const megabytes = Math.ceil(bytes.length / 2 ** 20);
  if (megabytes <= maxMegabytes) return bytes;
  const reason = offerMessages.file_too_large({ megabytes, max: maxMegabytes });
  throw new CommerceError('too_large', reason);
}

async function csvBytes({ columns }: RowsFile): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (const piece of csvChunks(columns)) {
    pieces.push(Buffer.from(piece));
    await setImmediate();
  }
  return Buffer.concat(pieces);
}

/** `orders-2026-10.xlsx`: the title or else the tool, and the days of the rows. */
export function fileNameOf(
  { toolCall, context }: Pick<RowsAnswer, 'toolCall' | 'context'>,
  { format, title = '' }: RequestedFile,
  nowMs: number,
): string {
  const { tables = [] } = context;
  const dated = tables.filter(({ period }) => period !== undefined);
  const candidates = dated.length > 0 ? dated : tables;
  const [table] = candidates.length === 1 ? candidates : [];
  const { tool, period } = table ?? { ...toolCall, ...context };
  const words = slugOf(title) || slugOf(tool.replace(/^(get|list|search|find)_/, ''));
  const day = amsterdamDay(nowMs);
  return `${words}-${daysInName(period ?? { from: day, to: day })}.${format}`;
}

/** A whole month or year by its number, else the first and last day. */
function daysInName({ from, to }: Days): string {
  for (const [unit, length] of [
    ['month', 7],
    ['year', 4],
  ] as const)
    if (startOf(unit, from) === from && endOf(unit, from) === to) return from.slice(0, length);
  return from === to ? from : `${from}_${to}`;
}

function slugOf(text: string): string {
  const words = text.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  return cutText(words, 50).replace(/^-|-$/g, '').toLowerCase();
}
