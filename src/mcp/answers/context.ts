import type { AnswerContext, NextCall } from '../../analysis/answer.ts';
import type { Labels } from '../../analysis/reference/labels.ts';
import type { ColumnProfile } from '../../analysis/rows/column-profile.ts';

/** The `context` of an answer as clients receive it (DESIGN, section 3). */
export interface PresentedContext extends AnswerContext {
  labels?: Labels;
  complete?: boolean;
  next?: NextCall;
  result?: {
    id: string;
    uri: string;
    rows: number;
    expires_at: string;
    columns?: readonly ColumnProfile[];
  };
}
