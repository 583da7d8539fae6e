import type { Figure } from '../figure.ts';
import { figureRows } from './figure-text.ts';

/** The figure's table as CSV (RFC 4180), its numbers and days as they are. */
export function figureCsv(figure: Figure): string {
  return `${figureRows(figure)
    .map((row) => row.map(writeField).join(','))
    .join('\r\n')}\r\n`;
}

/** A text that a spreadsheet would take for a formula is told that it is none. */
function writeField(field: string): string {
  const isFormula = /^[=+@\t\r]|^-(?![\d.]+$)/.test(field);
  const text = isFormula ? `'${field}` : field;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
