import { endpointQuestion } from '../../analysis/question.ts';
import { questions } from '../../analysis/questions.ts';
import { endpoints } from '../../endpoints/catalogue.ts';
import type { Toolset } from '../../endpoints/define.ts';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import { convertedSchemas } from './prebuilt-schemas.ts';

/** The tools as the API document describes the platform, before it has said anything itself. */
export function documentedCatalogue(toolsets: readonly Toolset[]): Catalogue {
  return createCatalogue({
    endpoints,
    questions,
    toolsets,
    asQuestion: endpointQuestion,
    converted: convertedSchemas,
  });
}
