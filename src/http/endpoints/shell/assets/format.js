// Formats numbers, money, dates and statuses in English whatever the browser's language: they are parts of English
// sentences, and screen readers read them so.
const locale = 'en';
const plain = new Intl.NumberFormat(locale);
const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const longDay = new Intl.DateTimeFormat(locale, { dateStyle: 'long' });
const mediumDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const minute = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });
const longMinute = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

export const number = (value) => plain.format(value);

const moneyFormats = new Map();
/** @param form `whole`, or a notation of Intl for an axis, with `digits` decimal places; without one all digits */
function moneyFormat(currency, form, digits) {
  const key = `${currency} ${form} ${digits}`;
  if (!moneyFormats.has(key)) {
    const options = form === 'whole' ? { maximumFractionDigits: 0 } : form ? { notation: form, maximumFractionDigits: digits } : { maximumFractionDigits: 20 };
    let format;
    try {
      format = new Intl.NumberFormat(locale, { style: 'currency', currency, ...options });
    } catch {
      format = new Intl.NumberFormat(locale, options);
    }
    moneyFormats.set(key, format);
  }
  return moneyFormats.get(key);
} // prettier-ignore

/** Formats an amount from the API's text, without losing digits. */
export const money = (amount, currency, form, digits) =>
  amount === null || amount === undefined ? '–' : moneyFormat(currency, form, digits).format(amount);

export const prices = (min, max, currency) =>
  min === null ? 'no price' : min === max ? money(min, currency) : `${money(min, currency)} to ${money(max, currency)}`;

/** Noon of a calendar day. */
const noon = (date) => new Date(`${date}T12:00:00`);
export const longDate = (date) => longDay.format(noon(date));
export const dayOf = (date) => day.format(noon(date));
export const longMonth = (date) => noon(date).toLocaleDateString(locale, { month: 'long', year: 'numeric' });
/** The year alone, because `Jan 26` could be a day. */
export const monthOf = (date, isYear) =>
  noon(date).toLocaleDateString(locale, isYear ? { year: 'numeric' } : { month: 'short' });
/** Includes the year unless it is the current one. */
const withinYear = (format, long) => (moment) => {
  if (moment === null) return '–';
  const at = new Date(moment);
  return (at.getFullYear() === new Date().getFullYear() ? format : long).format(at);
};
export const shortDay = withinYear(day, mediumDay);
export const shortMoment = withinYear(minute, longMinute);

const midnight = (moment) => new Date(moment).setHours(0, 0, 0, 0);

/** `5 days ago`: calendar days, because the date is often next to it. */
export function ago(moment) {
  if (moment === null || moment === undefined) return 'never';
  const hours = (Date.parse(moment) - Date.now()) / 3_600_000;
  if (hours > -1) return relative.format(Math.min(0, Math.round(hours * 60)), 'minute');
  if (hours > -36) return relative.format(Math.round(hours), 'hour');
  return relative.format(Math.round((midnight(moment) - midnight(Date.now())) / 86_400_000), 'day');
}

/**
 * In the order of the charts. Each has the same color everywhere, and an icon for those who cannot distinguish colors.
 */
const statuses = [
  ['PAID', 'Paid', 'paid', '●'],
  ['AUTHORIZED', 'Authorized', 'authorized', '◑'],
  ['PENDING', 'Pending', 'pending', '○'],
  ['PARTIALLY_REFUNDED', 'Partially refunded', 'part-refunded', '◔'],
  ['REFUNDED', 'Refunded', 'refunded', '↩'],
  ['VOIDED', 'Voided', 'voided', '×'],
];

const words = (code) => {
  const text = code.toLowerCase().replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** Display name, class, icon and sort order of each payment status. */
export function paymentOf(status) {
  const at = statuses.findIndex(([code]) => code === status);
  if (at === -1) return { label: status === null ? 'No status' : words(status), className: 'unknown', sign: '?', at: 9 };
  const [, label, className, sign] = statuses[at];
  return { label, className, sign, at };
} // prettier-ignore

export const shipmentOf = (status) => (status === null ? '–' : words(status));
