const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

export function numberText(value: number): string {
  return numbers.format(value);
}

export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${numbers.format(value)} ${units[unit] ?? ''}`;
}

/** A time span in its two largest units. */
export function spanText(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 1) return `${Math.round(milliseconds)} ms`;
  if (seconds < 60) return `${numbers.format(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** The time of a day, to a millisecond. */
export function timeText(at: number | string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(11, 23);
}

/** Shortens the times of a text to those of a day, if they are of the same day as `at`. */
export function shortTimes(text: string, at: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) =>
    time.slice(0, 10) === at.slice(0, 10) ? timeText(time) : time,
  );
}

export function countsText(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  return parts.map(([cause, count]) => `${cause} ${count}`).join(', ');
}
