import { shippedMap } from '../maps/shipped-maps';

/** Squarespace's products, by the shipped map (src/ingest/maps/shipped/squarespace.yaml). */
export const squarespace = shippedMap(
  'squarespace',
  'the CSV of Squarespace, Products, Export all, with the columns Product ID [Non Editable], Variant ID [Non Editable] and Title',
);
