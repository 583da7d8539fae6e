import { InputError } from '../../core/errors.ts';
import type { Message } from '../../core/message.ts';
import type { Answer, Call } from '../answer.ts';
import type { ToolDefinition } from '../define-tool.ts';
import { explain } from '../errors/explain.ts';
import { readArguments } from '../read-arguments.ts';
import type { Services } from '../services.ts';
import type { DefinitionProblem } from '../tables/definitions.ts';
import { type Brief, type BriefBlock, readBrief } from './brief.ts';

declare module '../../core/message.ts' {
  interface Messages {
    lacks_tool: { tool: string };
  }
}

/** A block with its answer, or with why it has none. */
export interface AnsweredBlock {
  block: BriefBlock;
  found?: { tool: ToolDefinition; answer: Answer };
  failure?: Message;
}

/** Text of a brief, or what became of a block. */
export type AnsweredPart = string | AnsweredBlock;

/**
 * Asks the blocks of a brief, one after the other, so that what one has read the next has. News without rows is left
 * out; a block that fails says why, and the others stand.
 * @param tools those of the caller
 */
export async function answerBrief(
  brief: Brief,
  services: Services,
  tools: readonly ToolDefinition[],
  call: Call,
): Promise<readonly AnsweredPart[]> {
  const shared: Call = { ...call, sharesRows: true };
  const parts: AnsweredPart[] = [];
  for (const part of brief.parts)
    parts.push(typeof part === 'string' ? part : await answerBlock(part, services, tools, shared));
  return parts.filter((part) => {
    return typeof part === 'string' || !part.block.isNews || hasRows(part);
  });
}

/** A figure is drawn of rows. */
function hasRows({ found }: AnsweredBlock): boolean {
  const answer = found?.answer.kind === 'figure' ? found.answer.drawnFrom : found?.answer;
  return answer === undefined || !('rows' in answer) || answer.rows.length > 0;
}

async function answerBlock(
  block: BriefBlock,
  services: Services,
  tools: readonly ToolDefinition[],
  call: Call,
): Promise<AnsweredBlock> {
  const tool = tools.find((it) => it.tool === block.tool);
  try {
    if (tool === undefined) throw new InputError({ code: 'lacks_tool', tool: block.tool });
    const answer = await tool.answer(services, readArguments(tool, block.arguments), call);
    return { block, found: { tool, answer } };
  } catch (error) {
    call.signal?.throwIfAborted();
    const failed = tool && { tool, input: block.arguments };
    return { block, failure: await explain(services, error, failed, call.signal) };
  }
}

/** What is wrong with briefs: in their files, and with blocks, which are asked for it. */
export async function checkBriefs(
  folders: ReadonlyMap<string, string>,
  services: Services,
  tools: readonly ToolDefinition[],
  call: Call,
): Promise<readonly DefinitionProblem[]> {
  const problems: DefinitionProblem[] = [];
  for (const name of folders.keys())
    try {
      const parts = await answerBrief(readBrief(folders, name), services, tools, call);
      for (const part of parts)
        if (typeof part !== 'string' && part.failure)
          problems.push({ file: `briefs/${name}.md`, line: part.block.line, reason: part.failure });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.push({ reason: error.reason });
    }
  return problems;
}
