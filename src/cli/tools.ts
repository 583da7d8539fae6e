import { listTools } from '../mcp/tools.ts';
import type { CommandLine } from './arguments.ts';
import { openApp } from './open.ts';

/** JSON Schema runs to about this many characters a token with the tokenizers in use. */
const charactersPerToken = 4;

/** Prints the catalogue: names, parameters and what each tool costs a model's context. */
export async function tools({ values, switches }: CommandLine): Promise<0> {
  const { app, close } = await openApp({
    env: process.env,
    flags: values,
    sandbox: switches.has('sandbox'),
  });
  try {
    await app.settled;
    const listed = listTools(app.catalogue);
    if (switches.has('json')) {
      console.log(JSON.stringify({ tools: listed }));
      return 0;
    }
    for (const tool of listed) {
      const required = new Set(tool.inputSchema.required ?? []);
      const parameters = Object.keys(tool.inputSchema.properties ?? {}).map((name) =>
        required.has(name) ? `${name}*` : name,
      );
      console.log(`${tool.name}  (about ${tokens(tool)} tokens)`);
      console.log(`  ${tool.description}`);
      console.log(`  takes: ${parameters.join(', ') || 'nothing'}`);
    }
    console.log(
      `${listed.length} tools, about ${tokens(listed)} tokens together (${charactersPerToken} characters a token); * is required`,
    );
    return 0;
  } finally {
    await close();
  }
}

function tokens(value: unknown): string {
  return Math.round(JSON.stringify(value).length / charactersPerToken).toLocaleString('en-US');
}
