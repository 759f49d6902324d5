/** Any key will do: every range response has the revision of the whole store. */
const anyKey = Buffer.from('/').toString('base64');

/** Compacts an etcd at its newest revision through its JSON gateway. */
export async function compactEtcd(url: string): Promise<void> {
  const { header } = (await post(`${url}/v3/kv/range`, { key: anyKey })) as {
    header: { revision: string };
  };
  await post(`${url}/v3/kv/compaction`, { revision: header.revision, physical: true });
}

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`etcd request failed (url=${url}, status=${response.status}, body=${text})`);
  return JSON.parse(text);
}
