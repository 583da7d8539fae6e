// Parts of the MCP conformance suite that do not apply: they need a server made for the suite, or optional features.
// Everything else applies, also in later versions.

const inputRequired = 'its tools test_input_required_result_*, which ask for the sake of asking';

/** Scenarios by name, with what they need. */
export const foreignScenarios = {
  'tools-call-simple-text': 'its tool test_simple_text',
  'tools-call-image': 'its tool test_image_content',
  'tools-call-audio': 'its tool test_audio_content',
  'tools-call-embedded-resource': 'its tool test_embedded_resource',
  'tools-call-mixed-content': 'its tool test_multiple_content_types',
  'tools-call-with-logging': 'its tool test_tool_with_logging',
  'tools-call-error': 'its tool test_error_handling',
  'tools-call-with-progress': 'its tool test_tool_with_progress',
  'tools-call-sampling': 'its tool test_sampling',
  'tools-call-elicitation': 'its tool test_elicitation',
  'elicitation-sep1034-defaults': 'its tool test_elicitation_sep1034_defaults',
  'elicitation-sep1330-enums': 'its tool test_elicitation_sep1330_enums',
  'json-schema-2020-12': 'its tool json_schema_2020_12_tool',
  'server-sse-polling': 'its tool test_reconnection',
  'http-custom-header-server-validation':
    'a tool whose parameters travel as headers (x-mcp-header)',
  'resources-read-text': 'its resource test://static-text',
  'resources-read-binary': 'its resource test://static-binary',
  'resources-templates-read': 'its resource template test://template/{id}/data',
  'prompts-get-simple': 'its prompt test_simple_prompt',
  'prompts-get-with-args': 'its prompt test_prompt_with_arguments',
  'prompts-get-embedded-resource': 'its prompt test_prompt_with_embedded_resource',
  'prompts-get-with-image': 'its prompt test_prompt_with_image',
  'input-required-result-basic-elicitation': inputRequired,
  'input-required-result-basic-sampling': inputRequired,
  'input-required-result-basic-list-roots': inputRequired,
  'input-required-result-request-state': inputRequired,
  'input-required-result-multiple-input-requests': inputRequired,
  'input-required-result-multi-round': inputRequired,
  'input-required-result-missing-input-response': inputRequired,
  'input-required-result-result-type': inputRequired,
  'input-required-result-tampered-state': inputRequired,
  'input-required-result-capability-check': inputRequired,
  'input-required-result-ignore-extra-params': inputRequired,
  'input-required-result-validate-input': inputRequired,
  'input-required-result-non-tool-request': 'its prompt test_input_required_result_prompt',
  'logging-set-level': 'the capability logging, which the server does not declare',
  'resources-subscribe': 'the capability resources.subscribe, which the server does not declare',
  'resources-unsubscribe': 'the capability resources.subscribe, which the server does not declare',
};

/** Checks by id, in scenarios that apply otherwise. */
export const foreignChecks = {
  'sep-2575-server-rejects-undeclared-capability': 'its tool test_missing_capability',
  'sep-2575-missing-capability-http-400': 'its tool test_missing_capability',
  'sep-2575-http-server-no-independent-requests-on-stream': 'its tool test_streaming_elicitation',
  'sep-2575-server-no-log-without-loglevel': 'its tool test_logging_tool',
  'sep-2575-server-sends-tools-list-changed-on-subscription': 'its tool test_trigger_tool_change',
};
