/** A schedule in the fields of cron; a missing field is "*". */
export interface Schedule {
  minute?: string;
  hour?: string;
  dayOfMonth?: string;
  month?: string;
  dayOfWeek?: string;
}

/** The fields in the order of cron. */
const fields = ['minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'] as const;

// #region schedules
/** Returns the fields of a schedule. A text that is not one, such as "@hourly", becomes the minute. */
export function scheduleOf(text: string): Schedule {
  const parts = text.split(' ');
  if (parts.length !== fields.length) return { minute: text };
  const given = fields.map((field, index) => [field, parts[index]] as const);
  return Object.fromEntries(given.filter(([, part]) => part !== '*'));
}

export function textOf(schedule: Schedule): string {
  return fields.map((field) => schedule[field] ?? '*').join(' ');
}
// #endregion
