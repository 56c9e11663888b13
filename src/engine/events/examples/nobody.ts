/** The invented patient of examples and of orders that a trigger places. */

export const NOBODY = {
  first_name: 'Ada',
  last_name: 'Example',
  dob: '1990-04-12',
  gender: 'female',
  phone_number: '+12025550143',
  email: 'ada@example.com',
}

/** This patient's invented address. */
export const NOWHERE = {
  first_line: '1 Sample Street',
  city: 'Springfield',
  state: 'IL',
  zip: '62701',
  country: 'US',
}
