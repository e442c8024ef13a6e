// The studio's script: everything works without it, but for the reload.
"use strict";
