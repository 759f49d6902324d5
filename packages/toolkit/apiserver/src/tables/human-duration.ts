const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/**
 * Formats a duration as the AGE column does, with at most two units. Source: `duration.HumanDuration` of apimachinery.
 */
export function humanDuration(seconds: number): string {
  const whole = Math.trunc(seconds);
  if (whole < -1) return '<invalid>';
  if (whole < 0) return '0s';
  if (whole < 2 * minute) return `${whole}s`;
  if (whole < 10 * minute) return units(whole, minute, 'm', 1, 's');
  if (whole < 3 * hour) return `${Math.floor(whole / minute)}m`;
  if (whole < 8 * hour) return units(whole, hour, 'h', minute, 'm');
  if (whole < 2 * day) return `${Math.floor(whole / hour)}h`;
  if (whole < 8 * day) return units(whole, day, 'd', hour, 'h');
  if (whole < 2 * year) return `${Math.floor(whole / day)}d`;
  if (whole < 8 * year) return units(whole, year, 'y', day, 'd');
  return `${Math.floor(whole / year)}y`;
}

function units(
  seconds: number,
  large: number,
  largeName: string,
  small: number,
  smallName: string,
): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${largeName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}

/** Returns the age of a timestamp; `<unknown>` if the timestamp is missing. */
export function ageOf(timestamp: string | undefined, now: number): string {
  if (timestamp === undefined || timestamp === '') return '<unknown>';
  return humanDuration((now - Date.parse(timestamp)) / 1000);
}
