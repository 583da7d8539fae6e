/** What is said of briefs: their files, and blocks that cannot be answered. */

import { quoted } from '../../../core/text.ts';
import type { Texts } from './reader.ts';

const problems = {
  no_head: 'It begins with a title and a description, each in a line, between two lines of ---.',
  unknown_head: ' is neither title: ..., description: ... nor parameter NAME = default.',
  no_parameter: ' names no parameter of the head.',
  not_a_pair: ' is not key=value; a block of the kind call begins with a tool.',
  not_closed: 'The block is not closed by ```.',
};

export const briefTexts = {
  brief_broken: ({ file, line, problem, text }) =>
    `${file}:${line}: ${text && quoted(text)}${problems[problem]}`,
  lacks_tool: ({ tool }) => `It needs ${quoted(tool, 60)}, which is not open here.`,
} satisfies Partial<Texts>;
