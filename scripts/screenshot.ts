import { readFigure } from '../src/analysis/figure/figure.ts';
import { standalonePage } from '../src/mcp/tools/figure-page.ts';
import { openFixedServer } from './fixed-server.ts';

const question = {
  title: 'Turnover per shop, last week against the week before',
  unit: 'euro',
  sql: `SELECT name AS shop, current AS "last week", reference AS "week before"
FROM compare_turnover(period := 'last_week', by := 'shop') WHERE measure LIKE '%turnover_wt'`,
};

/** The page of a figure that a real client was answered. */
export async function pageToShow(): Promise<string> {
  const { client, close } = await openFixedServer();
  try {
    const { structuredContent, content } = await client.callTool({
      name: 'show_figure',
      arguments: question,
    });
    const figure = readFigure(Object(structuredContent).figure);
    if (figure === undefined) throw new Error(JSON.stringify(content));
    return await standalonePage(figure);
  } finally {
    await close();
  }
}
