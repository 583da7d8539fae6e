/** Which request is struck by which fault. */
import type { Fault } from './fault.ts';

interface PlannedFault {
  fault: Fault;
  injectedMs: number;
  /** Requests that fitted so far. */
  seen: number;
  /** Times it struck so far. */
  struck: number;
}

/** The faults in force; the first one that fits a request strikes it. */
export class FaultPlan {
  #planned: PlannedFault[] = [];

  inject(faults: readonly Fault[], now: number): void {
    const added = faults.map((fault) => ({ fault, injectedMs: now, seen: 0, struck: 0 }));
    this.#planned = [...this.#planned, ...added];
  }

  clear(): void {
    this.#planned = [];
  }

  /** The fault that strikes this request, if any; every fault that fits has seen it. */
  pick(path: string, now: number): Fault | undefined {
    const due = this.#planned.filter((planned) => isDue(planned, path, now));
    const [first] = due;
    if (first !== undefined) first.struck += 1;
    return first?.fault;
  }
}

function isDue(planned: PlannedFault, path: string, now: number): boolean {
  const { fault, injectedMs } = planned;
  if (!fits(fault.path, path) || now < injectedMs + (fault.afterMs ?? 0)) return false;
  planned.seen += 1;
  const counted = planned.seen - (fault.after ?? 0);
  const isItsTurn = counted > 0 && counted % Math.max(1, fault.every ?? 1) === 0;
  return isItsTurn && planned.struck < (fault.times ?? Infinity);
}

function fits(wanted: string | RegExp | undefined, path: string): boolean {
  if (wanted === undefined) return true;
  if (wanted instanceof RegExp) return wanted.test(path);
  return wanted.endsWith('*') ? path.startsWith(wanted.slice(0, -1)) : path === wanted;
}
