/** The fictional patient in examples and in orders placed by a trigger. */

export const NOBODY = {
  first_name: 'Ada',
  last_name: 'Example',
  dob: '1990-04-12',
  gender: 'female',
  phone_number: '+12025550143',
  email: 'ada@example.com',
}

/** This patient's fictional address. */
export const NOWHERE = {
  first_line: '1 Sample Street',
  city: 'Springfield',
  state: 'IL',
  zip: '62701',
  country: 'US',
}
