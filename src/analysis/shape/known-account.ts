/** What is known of a key's account where the platform's document leaves it open, as one caller may know it. */
import type { FieldTypes } from '../../core/column-type.ts';
import type { ColumnFindings } from './shape.ts';

/** The behaviours that the document leaves open and looks decide (docs/platform.md#what-is-not-documented). */
export type BehaviourName = 'internal_orders' | 'product_sales_returns' | 'walk_in_customer';

/** What the account does, and the sentence that says so with the evidence. */
export interface BehaviourFinding {
  value: string | number;
  text: string;
}

/** What is known of the columns of a tool's answers, in the platform's names; for reports their measures. */
export interface ToolColumns extends ColumnFindings {
  /** Those of the columns that the document or openapi.json describes. */
  documented: FieldTypes;
  /** The platform describes none of them: rows may have others. */
  isOpen: boolean;
  /** No answer has shown any of them, though it was looked for. */
  isUnseen: boolean;
  /** Why its rows could not be read. */
  failed?: string | undefined;
}

/** A finding, or the words that a behaviour is open and why. */
export type KnownBehaviour = BehaviourFinding | { value?: undefined; text: string };

/**
 * What this key's account looks like, as one caller may know it: what the platform's document and openapi.json
 * say, else what its answers have shown (docs/statements.md#the-accounts-shape). Nothing rejects.
 */
export interface Survey {
  /** What is known by now; it asks nothing. */
  columnsOf(tool: string): ToolColumns;
  /** Looks at what these tools answer, where that was not done today: at most five requests each. */
  look(tools: readonly string[], signal?: AbortSignal): Promise<void>;
  /**
   * What the account does where the document is silent, with the evidence, or that it is open; undefined for a caller
   * without the toolsets of the evidence. The first to ask waits for some requests in the background, five seconds at
   * most; then nothing for a day.
   */
  behaviour(
    name: BehaviourName,
    signal?: AbortSignal | undefined,
  ): Promise<KnownBehaviour | undefined>;
  /** The same where it is known by now; it asks nothing. */
  known(name: BehaviourName): KnownBehaviour | undefined;
}
