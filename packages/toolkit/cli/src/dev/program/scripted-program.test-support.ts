import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';

/** A folder with a program that reports to the test over a socket; the socket closes when the program has ended. */
export class ScriptedProgramFolder implements AsyncDisposable {
  readonly folder: string;
  readonly #server: Server;

  private constructor(folder: string, server: Server) {
    this.folder = folder;
    this.#server = server;
  }

  /** `code` may use `report(text)`. */
  static async create(code: string): Promise<ScriptedProgramFolder> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const folder = await mkdtemp(join(tmpdir(), 'keelson-program-'));
    const { port } = server.address() as AddressInfo;
    const head = [
      `import { connect } from 'node:net';`,
      `const socket = connect(${port}, '127.0.0.1');`,
      `const report = (text) => new Promise((sent) => socket.write(text + '\\n', sent));`,
    ];
    await writeFile(join(folder, 'main.mjs'), [...head, code].join('\n'));
    return new ScriptedProgramFolder(folder, server);
  }

  /** Resolves with the next program that connects. */
  async connected(): Promise<ConnectedProgram> {
    const [socket] = (await once(this.#server, 'connection')) as [NodeJS.ReadWriteStream];
    return new ConnectedProgram(socket);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await rm(this.folder, { recursive: true });
  }
}

/** A program that is connected with the test. */
export class ConnectedProgram {
  readonly #socket: NodeJS.ReadWriteStream;
  readonly #lines: Interface;
  readonly #iterator: AsyncIterator<string>;

  constructor(socket: NodeJS.ReadWriteStream) {
    // A killed program resets its connection.
    socket.on('error', () => undefined);
    this.#socket = socket;
    this.#lines = createInterface(socket);
    this.#iterator = this.#lines[Symbol.asyncIterator]();
  }

  /** Sends a line to the program. */
  send(text: string): void {
    this.#socket.write(`${text}\n`);
  }

  /** Resolves with the next text that the program reports; undefined when it has ended. */
  async next(): Promise<string | undefined> {
    const { value, done } = await this.#iterator.next();
    return done === true ? undefined : value;
  }
}
