/** What a server does once it is asked something, loaded as one: a list of tools needs none of it. */
export { listResources, listResourceTemplates, readResource } from '../resources/resources.ts';
export { callTool } from './call-tool.ts';
export { complete } from './completion.ts';
