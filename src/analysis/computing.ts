/** What computes answers, loaded as one with the first question: a list of tools needs none of it. */
export { askEndpoint, isAnswerKept } from './endpoint/ask-endpoint.ts';
