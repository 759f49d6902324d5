const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** The number of a quantity such as `1Gi` or `250m`. */
export function quantityOf(quantity: string | undefined): number {
  const [, number = '0', unit = ''] = /^([\d.]+)([A-Za-z]*)$/.exec(quantity ?? '') ?? [];
  return Number(number) * (UNITS[unit] ?? 1);
}
