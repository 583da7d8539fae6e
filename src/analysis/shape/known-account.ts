import type { FieldTypes } from '../../core/column-type.ts';
import type { ColumnFindings } from './shape.ts';

/** Behaviours of the platform that the document leaves open (docs/platform.md#what-is-not-documented). */
export type BehaviourName = 'internal_orders' | 'product_sales_returns' | 'walk_in_customer';

/** `text` says how the account behaves, with the evidence. */
export interface BehaviourFinding {
  value: string | number;
  text: string;
}

/** The columns of a tool's answers in the platform's names; for reports their measures. */
export interface ToolColumns extends ColumnFindings {
  /** The columns that the document or openapi.json describes. */
  documented: FieldTypes;
  /** The platform describes no columns, so rows may have further ones. */
  isOpen: boolean;
  /** A look was made, and no answer has ever had a row. */
  isUnseen: boolean;
  /** Why its rows could not be read. */
  failed?: string | undefined;
}

/** A finding, or the reason why the behaviour is open. */
export type KnownBehaviour = BehaviourFinding | { value?: undefined; text: string };

/**
 * Knows the account of this key for one caller: from the platform's document and openapi.json, else from its answers
 * (docs/statements.md#the-accounts-shape). No method rejects.
 */
export interface Survey {
  /** Makes no request. */
  columnsOf(tool: string): ToolColumns;
  /** Looks at these tools' answers once a day, with at most five requests each. */
  look(tools: readonly string[], signal?: AbortSignal): Promise<void>;
  /**
   * Undefined for a caller without the toolsets of the evidence. The first caller of a day waits for some requests, five
   * seconds at most.
   */
  behaviour(
    name: BehaviourName,
    signal?: AbortSignal | undefined,
  ): Promise<KnownBehaviour | undefined>;
  /** Like `behaviour`, without a request. */
  known(name: BehaviourName): KnownBehaviour | undefined;
}
