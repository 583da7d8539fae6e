import { findReference } from './find-reference.ts';
import type { Question } from './question.ts';
import { readRows } from './read-rows.ts';

/** Our own questions, in the fixed order in which they are listed after the endpoints' tools. */
export const questions: readonly Question[] = [findReference, readRows];
