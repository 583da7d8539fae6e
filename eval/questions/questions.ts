import { customerQuestions } from './customers.ts';
import { orderQuestions } from './orders.ts';
import { productQuestions } from './products.ts';
import type { Question } from './question.ts';
import { turnoverQuestions } from './turnover.ts';

/** Every question that a model is asked, those for one report first in each subject. */
export const questions: readonly Question[] = [
  ...turnoverQuestions,
  ...orderQuestions,
  ...customerQuestions,
  ...productQuestions,
];
