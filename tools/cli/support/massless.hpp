// What is said of joints that move nothing: massless_advice, with_massless_advice.
#pragma once

#include "model/loads.hpp"
