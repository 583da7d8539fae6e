import { endpointTool } from '../../analysis/define-tool.ts';
import { analysisTools } from '../../analysis/tools.ts';
import type { Toolset } from '../../endpoints/define.ts';
import { endpoints } from '../../endpoints/index.ts';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import { prebuiltSchemas } from './prebuilt-schemas.ts';

/** The tools as the API document describes the platform, before it has said anything itself. */
export function documentedCatalogue(toolsets: readonly Toolset[]): Catalogue {
  return createCatalogue({
    endpoints,
    questions: analysisTools,
    toolsets,
    asQuestion: endpointTool,
    converted: prebuiltSchemas,
  });
}
