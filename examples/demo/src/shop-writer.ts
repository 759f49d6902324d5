import { builtin, type Client } from '@keelson/manager';
import { Shop, themeLabel } from './shop.ts';

export const themes = ['red', 'green', 'blue', 'gold'] as const;

/** Writes the objects of a user: Shops, and the ConfigMaps of their themes. */
export class ShopWriter {
  readonly #client: Client;
  readonly #namespace: string;

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  async create(names: readonly string[], progress: (share: number) => void): Promise<void> {
    await inGroups(names, progress, async (name, index) => {
      const metadata = { namespace: this.#namespace, name };
      const theme = themes[index % themes.length] ?? 'red';
      await this.#client.create(Shop, { metadata, spec: { image: 'shop:1', theme } });
    });
  }

  async update(
    names: readonly string[],
    image: string,
    progress: (share: number) => void,
  ): Promise<void> {
    await inGroups(names, progress, async (name) => {
      const patch = { type: 'merge', body: { spec: { image } } } as const;
      await this.#client.patch(Shop, { namespace: this.#namespace, name }, patch);
    });
  }

  async delete(names: readonly string[], progress: (share: number) => void): Promise<void> {
    await inGroups(names, progress, async (name) => {
      await this.#client.delete(Shop, { namespace: this.#namespace, name });
    });
  }

  async setColour(theme: string, colour: string): Promise<void> {
    await this.#client.apply(builtin.ConfigMap, {
      metadata: {
        namespace: this.#namespace,
        name: `theme-${theme}`,
        labels: { [themeLabel]: theme },
      },
      data: { colour },
    });
  }
}

/** Ten at a time: enough to keep the server busy, few enough to watch. */
async function inGroups(
  names: readonly string[],
  progress: (share: number) => void,
  write: (name: string, index: number) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < names.length; start += 10) {
    const group = names.slice(start, start + 10);
    await Promise.all(group.map((name, offset) => write(name, start + offset)));
    progress((start + group.length) / names.length);
  }
}
