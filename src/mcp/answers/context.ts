import type { AnswerContext, NextCall } from '../../analysis/answer.ts';
import type { Labels } from '../../analysis/reference/labels.ts';
import type { ColumnProfile } from '../../analysis/rows/column-profile.ts';

/** How many rows were read (shown here or kept), of how many there are as far as is known. */
export interface ReadSoFar {
  rows: number;
  of?: number;
}

/** The `context` of an answer as clients receive it (DESIGN, section 3). */
export interface PresentedContext extends AnswerContext {
  labels?: Labels;
  complete?: boolean;
  next?: NextCall;
  read?: ReadSoFar;
  result?: {
    id: string;
    uri: string;
    rows: number;
    expires_at: string;
    columns?: readonly ColumnProfile[];
  };
}
