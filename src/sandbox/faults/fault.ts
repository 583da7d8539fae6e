/** Faults to rehearse with: what can break, when, and how to say so on a command line. */

/** What each kind does to an answer, and the values it takes, the first one by default. */
export const FAULT_KINDS = {
  status: { values: [], about: 'a problem document with status `value`; a number alone means it' },
  '429': { values: [], about: 'a refusal with Retry-After `value` (1), or without it (none)' },
  html: {
    values: ['page', 'echo'],
    about: 'an HTML page as a proxy gives it, or one that shows the headers of the request',
  },
  body: {
    values: ['cut', 'empty', 'not-text', 'deep', 'plain'],
    about: 'a body that is cut off, empty, no UTF-8, nested 20,000 deep, or text/plain',
  },
  reset: {
    values: ['start', 'middle'],
    about: 'the connection is reset before any header, or halfway through the body',
  },
  slow: {
    values: ['headers', 'body'],
    about: 'headers after `ms` (60000), or the body in sixteen pieces `ms` (100) apart',
  },
  huge: { values: ['body', 'headers'], about: 'a body of 100 MB, or headers of 100 kB' },
  redirect: { values: [], about: 'a redirect to `value` (a foreign origin)' },
  'foreign-endpoint': {
    values: [],
    about: 'a discovery document whose token endpoint is `value` (at a foreign origin)',
  },
  expired: { values: [], about: 'every token minted so far expires before the request is read' },
  limits: {
    values: ['none', 'unreadable', 'odd'],
    about: 'rate-limit headers that are missing, unreadable or contradict each other',
  },
  list: {
    values: ['null', 'high-total', 'low-total', 'repeated', 'stuck', 'shifting'],
    about:
      'no rows, a wrong total, a row twice, a cursor that never moves, or a new order before each answer',
  },
} as const satisfies Record<string, { values: readonly string[]; about: string }>;

export type FaultKind = keyof typeof FAULT_KINDS;

/** One fault; without conditions it strikes every request. */
export interface Fault {
  kind: FaultKind;
  /** Which form of the kind; a status, an address or a header value where it is open. */
  value?: string;
  /** The path to strike: whole, or as it begins (`/api/order*`). Either origin's. */
  path?: string;
  /** Strike so many times, then no more. */
  times?: number;
  /** Strike every so-many-th request that fits. */
  every?: number;
  /** Let so many fitting requests pass first. */
  after?: number;
  /** A duration, for the kinds that take one. */
  ms?: number;
}

/** A text that names no faults. */
export class FaultSyntaxError extends Error {
  override readonly name = 'FaultSyntaxError';
}

const NUMBERS = ['times', 'every', 'after', 'ms'] as const;
const TEXTS = ['path', 'value'] as const;

/**
 * Reads faults as a command line gives them: separated by semicolons, each a kind, perhaps a value
 * of it, and conditions.
 * @example parseFaults('502:every=5;body=cut:path=/api/order,times=2')
 * @throws FaultSyntaxError naming the part that cannot be read
 */
export function parseFaults(text: string): Fault[] {
  return text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseFault);
}

function parseFault(text: string): Fault {
  const [head = '', ...rest] = text.split(':');
  const [name = '', named] = head.split('=').map((part) => part.trim());
  const isStatus = /^[45]\d\d$/.test(name) && name !== '429';
  const kind = isStatus ? 'status' : name;
  if (!isKind(kind)) {
    const known = Object.keys(FAULT_KINDS).join(', ');
    throw new FaultSyntaxError(`"${name}" is no kind of fault. Known kinds: ${known}.`);
  }
  const fault: Fault = { kind };
  if (isStatus || named !== undefined) fault.value = named ?? name;
  const conditions = rest.join(':');
  if (conditions !== '') {
    for (const condition of conditions.split(',')) addCondition(fault, condition.trim());
  }
  const values: readonly string[] = FAULT_KINDS[kind].values;
  if (fault.value !== undefined && values.length > 0 && !values.includes(fault.value)) {
    throw new FaultSyntaxError(`${kind}: "${fault.value}" is none of ${values.join(', ')}.`);
  }
  return fault;
}

function addCondition(fault: Fault, condition: string): void {
  const [name = '', ...rest] = condition.split('=');
  const value = rest.join('=');
  const numeric = NUMBERS.find((each) => each === name);
  const textual = TEXTS.find((each) => each === name);
  if (numeric !== undefined) {
    if (!/^\d+$/.test(value)) {
      throw new FaultSyntaxError(`${fault.kind}: ${name} needs a whole number, not "${value}".`);
    }
    fault[numeric] = Number(value);
  } else if (textual !== undefined && value !== '') {
    fault[textual] = value;
  } else {
    const known = [...TEXTS, ...NUMBERS].map((each) => `${each}=...`).join(', ');
    throw new FaultSyntaxError(
      `${fault.kind}: "${condition}" is no condition. Known conditions: ${known}.`,
    );
  }
}

function isKind(text: string): text is FaultKind {
  return Object.hasOwn(FAULT_KINDS, text);
}

/** The faults in force; the first one that fits a request strikes it. */
export class FaultPlan {
  #planned: { fault: Fault; seen: number; struck: number }[] = [];

  inject(faults: readonly Fault[]): void {
    this.#planned.push(...faults.map((fault) => ({ fault, seen: 0, struck: 0 })));
  }

  clear(): void {
    this.#planned = [];
  }

  /** The fault that strikes this request, if any; every fault that fits has seen it. */
  pick(path: string): Fault | undefined {
    const due = this.#planned.filter((planned) => {
      const { path: wanted = '*', after = 0, every = 1, times = Infinity } = planned.fault;
      const fits = wanted.endsWith('*') ? path.startsWith(wanted.slice(0, -1)) : path === wanted;
      if (!fits) return false;
      planned.seen += 1;
      const counted = planned.seen - after;
      return counted > 0 && counted % Math.max(1, every) === 0 && planned.struck < times;
    });
    const [first] = due;
    if (first !== undefined) first.struck += 1;
    return first?.fault;
  }
}
