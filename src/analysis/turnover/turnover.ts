/**
 * The two tools over the financial report: one period compared with another, and a trend bucket by bucket. Both read
 * figures over spans of days, each with an optional reference; only the form of the rows differs.
 */
import { day, decimal, integer, listOf, text } from '../../endpoints/define.ts';
import type { AnalysisAnswer } from '../answer.ts';
import { defineAnalysis } from '../define-tool.ts';
import { countryOf } from '../reference/reference.ts';
import { compareFigures, rowPerFigure, rowPerGroup, rowPerId } from './compare.ts';
import { describeFigures } from './describe.ts';
import { explainTurnover } from './explain.ts';
import { readPlaces } from './places.ts';
import { comparison, countRequests, course, type Question, spansOf } from './question.ts';

export const compareTurnover = defineAnalysis({
  tool: 'compare_turnover',
  title: 'Compare turnover',
  description:
    'One period against another, in total or split. First choice for "against last week" and for any split.',
  opensToolsets: ['reports'],
  input: comparison,
  calls: (args, nowMs) => countRequests(args, nowMs),
  output: listOf({
    measure: text,
    id: integer,
    name: text,
    current: decimal,
    reference: decimal,
    difference: decimal,
    percent: decimal,
    low: decimal,
    high: decimal,
    of: integer,
    rank: integer,
  }),
  answer: (services, args, call) =>
    answerQuestion({ services, tool: 'compare_turnover', args, call }),
});

export const turnoverTrend = defineAnalysis({
  tool: 'turnover_trend',
  title: 'Turnover trend',
  description: [
    'The financial report per day, week or month. One request a bucket. Days that do not balance: measures balance_check.',
    { needs: 'get_financial_report', text: 'One total: get_financial_report.' },
  ],
  opensToolsets: ['reports'],
  input: course,
  calls: (args, nowMs) => countRequests(args, nowMs, args.bucket ?? 'day'),
  // Buckets are days, or names of weeks and months.
  output: listOf({ bucket: text, from: day, to: day, id: integer, name: text }),
  measuresOf: 'get_financial_report',
  answer(services, args, call) {
    const { bucket: size = 'day' } = args;
    return answerQuestion({ services, tool: 'turnover_trend', args, size, call });
  },
});

async function answerQuestion(
  asked: Omit<Question, 'by' | 'places' | 'spans'>,
): Promise<AnalysisAnswer> {
  const { args, size, call } = asked;
  // Refuses contradicting arguments before the first request.
  const asking = { ...asked, spans: spansOf(args, call.nowMs, size) };
  const question: Question = { ...asking, ...(await readPlaces(asked)) };
  const { by } = question;
  const figures = await compareFigures(question);
  const { spans, readings, singles } = figures;
  const rows = spans.flatMap((span) => (size ? rowPerId(span) : rowPerFigure(span)));
  const explained =
    args.explain && spans[0] ? await explainTurnover(question, figures, spans[0]) : undefined;
  const countries = by === 'tax_rate' ? await countriesOfRates(question) : new Map();
  const perCountry = spans.flatMap((span) => rowPerGroup(span, countries));
  const totals = spans.flatMap((span) => rowPerFigure(span, true));
  return {
    kind: 'rows',
    payload: {
      count: rows.length,
      total: rows.length,
      ...(perCountry.length > 0 && { countries: perCountry }),
      ...(totals.length > 0 && { totals }),
      ...(explained && { explained: explained.rows }),
    },
    rows,
    noun: size ? 'rows' : 'figures',
    blocks: { by: 'measure', ends: ['countries', 'totals'] },
    redundantColumns: size === 'day' ? ['from', 'to'] : [],
    context: await describeFigures(question, figures, explained),
    calls: [...readings.all, ...singles].reduce((sum, { calls }) => sum + calls, 0),
  };
}

async function countriesOfRates({ services, call }: Question): Promise<Map<number, string>> {
  const { reference } = services;
  const rates = await reference.entriesForTranslation('tax_rate', call.signal).catch(() => []);
  const countries = rates.map(({ id, row }) => [id, countryOf(row)] as const);
  return new Map(countries.filter((pair): pair is [number, string] => pair[1] !== undefined));
}
