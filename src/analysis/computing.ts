/** What computes answers, loaded as one with the first question: a list of tools needs none of it. */
export { answerFigure } from './answer-figure.ts';
export { askEndpoint, isAnswerKept } from './endpoint/ask-endpoint.ts';
export { answerComparison, countComparison } from './turnover/comparison.ts';
export { answerTrend, countTrend } from './turnover/trend.ts';
