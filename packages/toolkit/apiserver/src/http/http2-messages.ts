import { Http2ServerRequest, Http2ServerResponse, type ServerHttp2Stream } from 'node:http2';

/** A request over HTTP/2 with the members of a request over HTTP/1.1 that the server uses. */
export class Http2Request extends Http2ServerRequest {
  #distinct: NodeJS.Dict<string[]> | undefined;

  /** The values of each header in their order. */
  get headersDistinct(): NodeJS.Dict<string[]> {
    if (this.#distinct !== undefined) return this.#distinct;
    const lists = new Map<string, string[]>();
    const raw = this.rawHeaders;
    for (let at = 0; at < raw.length; at += 2) {
      const [name = '', value = ''] = raw.slice(at, at + 2);
      const list = lists.get(name);
      if (list === undefined) lists.set(name, [value]);
      else list.push(value);
    }
    return (this.#distinct = Object.fromEntries(lists));
  }
}

/** A response over HTTP/2 with the members of a response over HTTP/1.1 that the server uses. */
export class Http2Response extends Http2ServerResponse<Http2Request> {
  constructor(stream: ServerHttp2Stream) {
    super(stream);
    // Node.js declares this member, but does not have it. True if no byte can be sent any more.
    Object.defineProperty(this, 'destroyed', { get: () => stream.destroyed });
  }
}
