/** Whether the last digit of a GTIN (EAN, UPC) is the check digit of the others. Leading zeros change nothing. */
export function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, weight = 1; at >= 0; at -= 1, weight = 4 - weight) {
    sum += Number(digits.charAt(at)) * weight;
  }
  return sum > 0 && sum % 10 === 0;
}
