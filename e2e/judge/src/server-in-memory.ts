import { type ApiServer, createApiServer } from '@keelson/apiserver';
import { Pool } from 'undici';
import type { JsonObject } from '@keelson/structural-schema';

/** A response of the server: the object, or a Status. */
export interface ServerResponse {
  readonly code: number;
  readonly body: JsonObject;
}

/** The in-memory API server, over HTTP as clients use it. */
export class ServerInMemory implements AsyncDisposable {
  readonly #server: ApiServer;
  readonly #pool: Pool;

  static async start(): Promise<ServerInMemory> {
    return new ServerInMemory(await createApiServer());
  }

  private constructor(server: ApiServer) {
    this.#server = server;
    this.#pool = new Pool(server.url, { connections: 8 });
  }

  /** Sends an object as JSON text, so that numbers keep their notation. */
  async send(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    json?: string,
  ): Promise<ServerResponse> {
    const headers = { 'content-type': 'application/json', 'user-agent': 'judge' };
    const response = await this.#pool.request({
      method,
      path,
      headers,
      ...(json && { body: json }),
    });
    return { code: response.statusCode, body: (await response.body.json()) as JsonObject };
  }

  /** Resolves when the definitions that were written are served. */
  idle(): Promise<void> {
    return this.#server.idle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.close();
    await this.#server.close();
  }
}
