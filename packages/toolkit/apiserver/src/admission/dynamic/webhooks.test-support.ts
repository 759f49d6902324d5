import { expect } from '@jest/globals';
import { type ApiServer, createApiServer } from '../../server/api-server.ts';
import { type Json, RawClient, type RawResponse } from '../../server/raw-client.test-support.ts';
import { type ReviewHandler, WebhookServer } from '../../webhooks/webhook-server.test-support.ts';

export const configurations = '/apis/admissionregistration.k8s.io/v1';
export const configMaps = '/api/v1/namespaces/default/configmaps';

/** An API server and a webhook server. */
export class WebhookTest implements AsyncDisposable {
  readonly server: ApiServer;
  readonly hooks: WebhookServer;
  readonly client: RawClient;

  private constructor(server: ApiServer, hooks: WebhookServer) {
    this.server = server;
    this.hooks = hooks;
    this.client = new RawClient(server);
  }

  static async start(handler?: ReviewHandler): Promise<WebhookTest> {
    return new WebhookTest(await createApiServer(), await WebhookServer.start(handler));
  }

  /** Creates a configuration of one of both kinds. */
  async configure(
    kind: 'validating' | 'mutating',
    name: string,
    ...webhooks: Json[]
  ): Promise<void> {
    const path = `${configurations}/${kind}webhookconfigurations`;
    const { code, body } = await this.client.post(path, { metadata: { name }, webhooks });
    expect([code, body.message]).toEqual([201, undefined]);
  }

  createMap(name: string, more: object = {}, query = ''): Promise<RawResponse> {
    return this.client.post(`${configMaps}${query}`, { metadata: { name }, ...more });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    await this.hooks[Symbol.asyncDispose]();
  }
}
