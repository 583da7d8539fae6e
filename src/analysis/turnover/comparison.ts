import { amsterdamDay } from '../../core/calendar.ts';
import { InputError } from '../../core/errors.ts';
import { difference, percent, plain } from '../../core/money.ts';
import { periodWarnings } from '../../core/period-warnings.ts';
import { type Period, resolvePeriod, sayDays } from '../../core/periods.ts';
import type { Answer, Call } from '../answer.ts';
import { nameWithId } from '../reference/names.ts';
import type { Row } from '../rows/rows.ts';
import type { Services } from '../services.ts';
import { daysIn } from './buckets.ts';
import type { ComparisonInput } from './inputs.ts';
import { asksForOrders } from './order-counts.ts';
import { type Comparison, referencePeriod } from './reference-period.ts';
import { readTurnover, resolveScope, showMeasures, type TurnoverFigure } from './turnover.ts';

/** A report for each period, and the orders of it where they are counted. */
export function countComparison({ against, measures }: ComparisonInput): number {
  return (against === 'none' ? 1 : 2) * (asksForOrders(measures) ? 2 : 1);
}

/** Both periods, figure by figure. */
export async function answerComparison(
  services: Services,
  input: ComparisonInput,
  call: Call,
): Promise<Answer> {
  const { nowMs } = call;
  const period = resolvePeriod(input, nowMs);
  const reference = referenceOf(period, input, nowMs);
  const scope = await resolveScope(services, 'compare_turnover', input, call);
  const read = (days: Period) => readTurnover(services, { period: days, ...scope }, call);
  const [now, then] = await Promise.all([read(period), reference && read(reference)]);
  const all = [...now.figures, ...(then?.figures ?? [])];
  const shown = showMeasures(services, 'compare_turnover', scope, input.measures, all);
  const chosen = (figures: readonly TurnoverFigure[]) =>
    figures.filter((it) => shown.isChosen(it.measure));
  const rows = then
    ? compare(chosen(now.figures), chosen(then.figures))
    : chosen(now.figures).map(alone);
  const { warnings: _, period: __, ...context } = now.context;
  return {
    payload: { count: rows.length, total: rows.length },
    rows,
    noun: 'figures',
    context: {
      ...context,
      period,
      ...(reference && { reference_period: reference }),
      ...shown.context,
      ...(Object.keys(scope.resolved).length > 0 && { resolved: scope.resolved }),
      warnings: [
        ...new Set([
          ...periodWarnings(period, nowMs),
          ...(reference
            ? [
                ...periodWarnings(reference, nowMs),
                ...likeForLike(period, reference, amsterdamDay(nowMs)),
              ]
            : []),
          ...now.warnings,
          ...(then ? [...then.warnings, ...oneSided(rows)] : []),
          ...(rows.length === 0 ? [`The report carries no figures by ${scope.by}.`] : []),
        ]),
      ],
    },
    calls: now.calls + (then?.calls ?? 0),
    asked: { tool: 'compare_turnover', arguments: input },
  };
}

function referenceOf(
  period: Period,
  input: {
    against?: Comparison | 'none' | undefined;
    against_from?: string | undefined;
    against_to?: string | undefined;
  },
  nowMs: number,
): Period | undefined {
  const { against, against_from: from, against_to: to } = input;
  if (from === undefined && to === undefined)
    return against === 'none' ? undefined : referencePeriod(period, against ?? 'previous_period');
  if (against !== undefined)
    throw new InputError(
      'compare_turnover: against and against_from came together. Give one of the two.',
      'against',
    );
  return resolvePeriod({ from, to }, nowMs, { from: 'against_from', to: 'against_to' });
}

/** A figure that is compared with nothing. */
function alone({ measure, id, name, value }: TurnoverFigure): Row {
  return {
    measure,
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    current: plain(value),
  };
}

/** Figures of both periods side by side; one that a period lacks is null there, never 0. */
function compare(current: readonly TurnoverFigure[], reference: readonly TurnoverFigure[]): Row[] {
  const then = new Map(reference.map((figure) => [keyOf(figure), figure]));
  const now = new Set(current.map(keyOf));
  const gone = reference.filter((figure) => !now.has(keyOf(figure)));
  return [
    ...current.map((figure) => compareOne(figure, figure, then.get(keyOf(figure)))),
    ...gone.map((figure) => compareOne(figure, undefined, figure)),
  ];
}

function compareOne(
  { measure, id, name }: TurnoverFigure,
  current: TurnoverFigure | undefined,
  reference: TurnoverFigure | undefined,
): Row {
  const both = current !== undefined && reference !== undefined;
  const share = both ? percent(current.value, reference.value) : null;
  return {
    measure,
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    current: current === undefined ? null : plain(current.value),
    reference: reference === undefined ? null : plain(reference.value),
    difference: both ? plain(difference(current.value, reference.value)) : null,
    percent: share === null ? null : plain(share),
  };
}

function keyOf({ measure, id }: TurnoverFigure): string {
  return JSON.stringify([measure, id]);
}

/** What keeps the two periods from being compared one to one. */
function likeForLike(period: Period, reference: Period, today: string): string[] {
  const [days, referenceDays] = [daysIn(period), daysIn(reference)];
  return [
    ...(period.to >= today && reference.to < today
      ? [
          `Not like for like: ${sayDays(period)} includes a day that is not over, ${sayDays(reference)} has whole days only.`,
        ]
      : []),
    ...(days === referenceDays
      ? []
      : [`The periods differ in length: ${days} and ${referenceDays} days.`]),
  ];
}

/** Who has figures in one of the periods only: a shop that opened, closed or did not sell. */
function oneSided(rows: readonly Row[]): string[] {
  const ids = new Map<unknown, { name: string; current: boolean; reference: boolean }>();
  for (const { id, name, current, reference } of rows) {
    if (typeof id !== 'number') continue;
    const known = ids.get(id);
    ids.set(id, {
      name: nameWithId({ id, name: typeof name === 'string' ? name : String(id) }),
      current: known?.current === true || current !== null,
      reference: known?.reference === true || reference !== null,
    });
  }
  const lacking = (side: 'current' | 'reference') =>
    [...ids.values()].filter((entry) => !entry[side]).map(({ name }) => name);
  return [
    ...sentence(lacking('current'), 'in the current period'),
    ...sentence(lacking('reference'), 'in the reference period'),
  ];
}

function sentence(names: readonly string[], where: string): string[] {
  return names.length === 0
    ? []
    : [`No figures ${where} for ${names.join(', ')}: null there, which is not zero.`];
}
