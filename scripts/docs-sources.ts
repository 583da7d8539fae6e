/** Sources of the generated parts of the documentation. */
export { settings } from '../src/config/config.ts';
export { endpointName } from '../src/endpoints/define.ts';
export { endpoints } from '../src/endpoints/index.ts';
export { parsePrompt } from '../src/mcp/prompts/prompts.ts';
export { resourceDefinitions } from '../src/mcp/resources/definitions.ts';
export { Catalogue } from '../src/mcp/tools/catalogue.ts';
export { clientSections } from './client-sections.ts';

/** Loaded where a server is asked. */
export const pictures = () => import('./picture.ts');
