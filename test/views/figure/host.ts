/** A page that embeds views as a real host does: the SDK's own `AppBridge`. Bundled for the browser. */

import type { CallToolResult } from '@modelcontextprotocol/client';
import {
  AppBridge,
  type McpUiHostCapabilities,
  type McpUiHostContext,
  PostMessageTransport,
} from '@modelcontextprotocol/ext-apps/app-bridge';

/** How a view is embedded. */
interface Embedding {
  html: string;
  capabilities: McpUiHostCapabilities;
  context: McpUiHostContext;
  /** What a tool answers that the view calls. */
  answer?: CallToolResult;
}

/** The host, and what the view asked of it. */
export interface TestHost {
  bridge: AppBridge;
  messages: unknown[];
  calls: unknown[];
  sizes: { width?: number; height?: number }[];
}

declare global {
  interface Window {
    host: TestHost;
    /** Embeds a view as the JSON of an {@link Embedding} says. */
    embed(json: string): Promise<void>;
  }
}

window.embed = async (json) => {
  const { html, capabilities, context, answer }: Embedding = JSON.parse(json);
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.style.cssText = 'width: 100%; height: 300px; border: 0';
  document.body.append(frame);
  const { contentWindow } = frame;
  if (!contentWindow) throw new Error('The frame has no window');
  const info = { name: 'test host', version: '1' };
  const bridge = new AppBridge(null, info, capabilities, { hostContext: context });
  const host: TestHost = { bridge, messages: [], calls: [], sizes: [] };
  window.host = host;
  bridge.onmessage = async (params) => {
    host.messages.push(params);
    return {};
  };
  bridge.oncalltool = async (params) => {
    host.calls.push(params);
    return answer ?? { content: [] };
  };
  bridge.onsizechange = (params) => {
    host.sizes.push(params);
    if (params.height !== undefined) frame.style.height = `${params.height}px`;
  };
  const initialized = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve();
  });
  await bridge.connect(new PostMessageTransport(contentWindow, contentWindow));
  frame.srcdoc = html;
  await initialized;
};
