import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** One version as `npm publish` sends it. */
export interface Publication {
  readonly name: string;
  readonly access: string;
  readonly 'dist-tags': Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, object>>;
}

/** A registry to which npm publishes. */
export class PublishRegistry implements AsyncDisposable {
  readonly publications: Publication[] = [];
  /** The name of a package whose publication is refused. */
  refused: string | undefined;
  readonly #server: Server = createServer(
    (request, response) => void this.#serve(request, response),
  );

  static async create(): Promise<PublishRegistry> {
    const registry = new PublishRegistry();
    await once(registry.#server.listen(0, '127.0.0.1'), 'listening');
    return registry;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'PUT') {
      const publication = (await json(request)) as Publication;
      const isRefused = publication.name === this.refused;
      if (!isRefused) this.publications.push(publication);
      response.writeHead(isRefused ? 403 : 201).end('{}');
      return;
    }
    const name = decodeURIComponent((request.url ?? '/').slice(1));
    const known = this.publications.find((each) => each.name === name);
    response.writeHead(known === undefined ? 404 : 200).end(JSON.stringify(known ?? {}));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
