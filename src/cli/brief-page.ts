/** A brief as one page that loads nothing from elsewhere: for a browser, for paper, for mail. */
import { randomUUID } from 'node:crypto';
import { Marked } from 'marked';
import { figureSvg } from '../analysis/figure/figure-chart.ts';
import type { FigureLocale } from '../analysis/figure/figure-text.ts';
import { briefMarkdown } from '../mcp/answers/brief.ts';
import page from './brief-page.txt';

/** Of pictures, in pixels: on a page and on a telephone. */
const widths = { wide: 920, narrow: 360 };

/** No text is HTML, and none becomes an address to follow. */
const marked = new Marked({
  renderer: { html: ({ text }) => escapeHtml(text) },
  tokenizer: { url: () => undefined, autolink: () => undefined },
});

export async function briefPage(
  locale: FigureLocale,
  ...[brief, whose]: Parameters<typeof briefMarkdown>
): Promise<string> {
  // No text of the account can be taken for the place of a picture.
  const place = `figure-${randomUUID()}`;
  const pictures: string[] = [];
  const draw: typeof whose.draw = (figure) => {
    const drawn = Object.entries(widths).map(([name, width]) => {
      const svg = figureSvg(figure, { width, theme: 'light', locale });
      return `<div class="${name}">${svg}</div>`;
    });
    pictures.push(`<figure>${drawn.join('')}</figure>`);
    return place;
  };
  const body = marked
    .parse(await briefMarkdown(brief, { ...whose, draw }), { async: false })
    .replaceAll(`<p>${place}</p>`, () => pictures.shift() ?? '');
  return page.replace('{{title}}', () => escapeHtml(brief.title)).replace('{{body}}', () => body);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
